// Runs and times a list of named steps. Shows the output of failed steps, and still runs the remaining ones.
import { spawn } from 'node:child_process';

/**
 * Runs a command to its end with stdin closed.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: Record<string, string>, live?: boolean }} [options] `live` passes output through
 * @returns {Promise<{ code: number, output: string }>}
 */
export function run(command, args, { cwd, env, live = false } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', live ? 'inherit' : 'pipe', live ? 'inherit' : 'pipe'],
    });
    let output = '';
    child.stdout?.on('data', (chunk) => (output += chunk));
    child.stderr?.on('data', (chunk) => (output += chunk));
    child.on('error', (error) => resolve({ code: 127, output: `${output}${error.message}\n` }));
    child.on('close', (code, signal) => resolve({ code: code ?? (signal ? 1 : 0), output }));
  });
}

/**
 * @param {string} name
 * @param {() => Promise<{ code: number, output: string }>} work
 * @returns {Promise<boolean>} whether it passed
 */
export async function step(name, work) {
  const started = performance.now();
  const { code, output } = await work();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)`);
  if (code !== 0) console.log(output.replace(/^/gm, '     '));
  return code === 0;
}

/**
 * Works through a list with two workers, because each tool uses one thread and most machines have at least two cores.
 * @template T
 * @param {T[]} items
 * @param {(item: T) => Promise<unknown>} work
 */
export async function twoAtATime(items, work) {
  const waiting = [...items];
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next);
  };
  await Promise.all([worker(), worker()]);
}
