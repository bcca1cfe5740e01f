/** The mailer against real SMTP servers. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { freePort } from '../../../../tools/ports.mjs';
import { startSmtp } from '../../test/smtp.js';
import { createMailer } from './mail.js';
import type { Mail } from './mail.js';

const mail = (to: string): Mail => ({
  id: 'eml_1',
  from: 'Wasserwerk Süd <bills@water.example>',
  to,
  subject: 'Votre paiement à Wasserwerk Süd',
  text: 'Merci.',
  html: '<p>Merci.</p>',
  unsubscribeUrl: 'https://pay.example/unsubscribe/eml_1',
});

it('R-104 gives up on a server that greets and then hangs, so that the message is tried again', async () => {
  const server = await startSmtp({ hangs: true });
  const mailer = createMailer(server.url, 200);
  expect(await mailer.send(mail('ada@example.com'))).toEqual({ error: 'ETIMEDOUT', isFinal: false });
  mailer.close();
  await server.close();
});

it('R-104 tries again if no server listens', async () => {
  const mailer = createMailer(`smtp://127.0.0.1:${await freePort()}`);
  expect(await mailer.send(mail('ada@example.com'))).toMatchObject({ isFinal: false });
  mailer.close();
});

// Exim starts only as root.
const hasExim = process.getuid?.() === 0 && spawnSync('exim4', ['-bV']).status === 0;

describe.runIf(hasExim)('with Exim', () => {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-exim-'));
  let exim: ChildProcess | undefined;
  afterEach(() => {
    exim?.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(): Promise<string> {
    for (const name of ['spool', 'log']) mkdirSync(join(folder, name));
    for (const name of ['.', 'spool', 'log']) chmodSync(join(folder, name), 0o777);
    const settings = join(folder, 'exim.conf');
    writeFileSync(
      settings,
      `primary_hostname = mail.test
spool_directory = ${folder}/spool
log_file_path = ${folder}/log/%slog
pid_file_path = ${folder}/pid
tls_advertise_hosts =
queue_only = true
keep_environment =
acl_smtp_rcpt = recipients
begin acl
recipients:
  deny recipients = refused@example.com
       message = no such user
  accept
`,
    );
    const port = await freePort();
    exim = spawn('exim4', ['-C', settings, '-bdf', '-oX', `127.0.0.1.${port}`], { stdio: 'ignore' });
    await expect.poll(() => answers(port), { timeout: 5_000 }).toBe(true);
    return `smtp://127.0.0.1:${port}`;
  }

  it('R-104 is accepted, and knows an address that does not exist', async () => {
    const mailer = createMailer(await start());
    expect(await mailer.send(mail('ada@example.com'))).toBe('sent');
    expect(await mailer.send(mail('refused@example.com'))).toEqual({ error: 'SMTP 550', isFinal: true });
    mailer.close();

    const spool = join(folder, 'spool', 'input');
    const headers = readdirSync(spool).find((name) => name.endsWith('-H')) ?? '';
    const text = readFileSync(join(spool, headers), 'utf8');
    expect(text).toContain('List-Unsubscribe: <https://pay.example/unsubscribe/eml_1>');
    expect(text).toContain('ada@example.com');
  });
});

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
