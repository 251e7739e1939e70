package cell

// ReadMemory is machineMemory over other files.
var ReadMemory = readMemory
