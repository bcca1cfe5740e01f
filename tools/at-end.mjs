// Cleanup when a process ends. Vitest ends its workers with a signal, which emits no 'exit' event.
const works = new Set();
let isListening = false;

/**
 * Runs `work` when this process exits or receives a signal. Returns a function that cancels it.
 * @param {() => void} work
 */
export function atEnd(work) {
  if (!isListening) listen();
  works.add(work);
  return () => void works.delete(work);
}

function listen() {
  isListening = true;
  process.once('exit', end);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => {
      end();
      process.kill(process.pid, signal);
    });
}

function end() {
  for (const work of works) work();
  works.clear();
}
