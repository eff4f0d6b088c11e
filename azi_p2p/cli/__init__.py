"""The commands: the only place that joins clock, chance, disk, network and screen. Modules are loaded when needed."""
