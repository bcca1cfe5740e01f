import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';

/** Reads a secret from stdin. At a terminal, prompts for a line without showing it. */
export async function readSecret(prompt: string): Promise<string> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) return (await text(stdin)).trim();

  stderr.write(prompt);
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: stdin, output: hidden, terminal: true });
  try {
    return (await terminal.question('')).trim();
  } finally {
    terminal.close();
    stderr.write('\n');
  }
}
