// What a process that is told to end leaves to be cleared up: Vitest ends its workers by a signal, and then there is no
// 'exit' event.
const works = new Set();
let isListening = false;

/** Has this process do something when it ends, by itself or by a signal; what it returns takes that back. */
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
