/** Loaded with `--import`, puts the clock of a process 30 seconds ahead. */
const readClock = Date.now
Date.now = () => readClock() + 30_000
