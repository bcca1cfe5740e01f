// If `npx` is killed, the processes that it started keep running: pnpm, a shell, and this process, which gets no signal.
import { spawnSync } from 'node:child_process';

const POLL_MS = 1000;

/** Pids of the package managers and shells that started this process; none on a system without `ps`. */
function launchers() {
  const { stdout } = spawnSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' });
  const processes = new Map(
    (stdout ?? '').split('\n').map((line) => {
      const [, pid, parent, args] = /^ *(\d+) +(\d+) (.*)$/.exec(line) ?? [];
      return [Number(pid), { parent: Number(parent), args }];
    }),
  );
  const pids = [];
  for (let pid = process.ppid; /\bsh -c\b|\bp?npm\b|\bnpx\b/.test(processes.get(pid)?.args ?? '');) {
    pids.push(pid);
    pid = processes.get(pid).parent;
  }
  return pids;
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/**
 * Calls `stop` when one of the launchers has ended.
 * @param {() => void} stop
 */
export function whenLauncherEnds(stop) {
  const pids = launchers();
  const timer = setInterval(() => {
    if (pids.every(isAlive)) return;
    clearInterval(timer);
    stop();
  }, POLL_MS);
  timer.unref();
}
