/** The mailer against real SMTP servers. */
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../../../../tools/ports.mjs';
import { startSmtp } from '../../test/smtp.js';
import { createMailer, MAX_CONNECTIONS, type Mail } from './mail.js';

const mail = (to: string): Mail => ({
  id: 'eml_1',
  from: 'Wasserwerk Süd <bills@water.example>',
  to,
  subject: 'Votre paiement à Wasserwerk Süd',
  text: 'Merci.',
  html: '<p>Merci.</p>',
  unsubscribeUrl: 'https://pay.example/unsubscribe/eml_1',
});

const LATER = { isFinal: false };
const NEVER = { isFinal: true };

it.each([
  ['greets and then hangs', { EHLO: '' }, { ...LATER, error: 'ETIMEDOUT' }],
  ['accepts a message and then hangs', { '.': '' }, { ...LATER, error: 'ETIMEDOUT' }],
  ['sends a few empty lines before its greeting', { hello: '\r\n\r\n554 blocked' }, LATER],
  ['is too busy to greet', { hello: '421 too busy' }, LATER],
  ['blocks the client', { hello: '554 blocked' }, LATER],
  ['rejects the sender', { MAIL: '553 sender not allowed' }, { ...LATER, error: 'SMTP 553' }],
  ['has a full mailbox', { RCPT: '452 full' }, { ...LATER, error: 'SMTP 452' }],
  ['greylists the sender', { RCPT: '450 greylisted' }, { ...LATER, error: 'SMTP 450' }],
  ['does not know the address', { RCPT: '550 no such user' }, { ...NEVER, error: 'SMTP 550' }],
  ['refuses the address by its number', { RCPT: '550 5.1.1 no such user' }, { ...NEVER, error: 'SMTP 550' }],
  [
    'wants a password after the address',
    { RCPT: '530 5.7.0 STARTTLS first' },
    { ...LATER, error: 'SMTP 530' },
  ],
  ['refuses the password after the text', { '.': '535 bad credentials' }, { ...LATER, error: 'SMTP 535' }],
  [
    'delays the refusal of the client',
    { RCPT: '554 5.7.1 Relay access denied' },
    { ...LATER, error: 'SMTP 554' },
  ],
  [
    'delays the refusal of the sender',
    { RCPT: '553 5.1.8 Sender rejected' },
    { ...LATER, error: 'SMTP 553' },
  ],
  ['delays the refusal of the client, like Exim', { RCPT: '550 relay not permitted' }, LATER],
  [
    'asks for a password after the address',
    { RCPT: '550-Who are you?\r\n550 Authentication required' },
    LATER,
  ],
  ['responds with an unknown code', { RCPT: '999 what' }, { ...LATER, error: 'SMTP 999' }],
  ['is out of space', { '.': '452 full' }, { ...LATER, error: 'SMTP 452' }],
  ['classifies it as spam', { '.': '554 spam' }, { ...NEVER, error: 'SMTP 554' }],
] as const)('R-104 decides whether to retry with a server that %s', async (_, responses, failure) => {
  const server = await startSmtp({ responses });
  // Only a server that hangs may meet the time limit.
  const mailer = createMailer(
    server.url,
    'error' in failure && failure.error === 'ETIMEDOUT' ? 200 : undefined,
  );
  expect(await mailer.send(mail('ada@example.com'))).toMatchObject(failure);
  mailer.close();
  await server.close();
});

it('R-104 gives up on a server whose response never ends, and frees its connection', async () => {
  const server = await startSmtp({ drips: true });
  const mailer = createMailer(server.url, 400);
  const all = Array.from({ length: MAX_CONNECTIONS + 1 }, () => mailer.send(mail('ada@example.com')));
  for (const outcome of await Promise.all(all)) expect(outcome).toMatchObject(LATER);
  mailer.close();
  await server.close();
});

it('R-104 sends nothing unencrypted if the config requires TLS', async () => {
  const server = await startSmtp();
  const mailer = createMailer(`${server.url}/?requireTLS=true`, 200);
  expect(await mailer.send(mail('ada@example.com'))).toMatchObject(LATER);
  expect(server.received).toEqual([]);
  mailer.close();
  await server.close();
});

it('R-104 retries if no server listens', async () => {
  const mailer = createMailer(`smtp://127.0.0.1:${await freePort()}`);
  expect(await mailer.send(mail('ada@example.com'))).toMatchObject({ isFinal: false });
  mailer.close();
});

// Exim starts only as root.
const hasExim = process.getuid?.() === 0 && spawnSync('exim4', ['-bV']).status === 0;

describe.runIf(hasExim)('with Exim', () => {
  let folder: string;
  let exim: ChildProcess | undefined;
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-exim-'))));
  afterEach(() => {
    exim?.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(tls = ''): Promise<string> {
    for (const name of ['spool', 'log']) mkdirSync(join(folder, name));
    for (const name of ['.', 'spool', 'log']) chmodSync(join(folder, name), 0o777);
    const settings = join(folder, 'exim.conf');
    writeFileSync(
      settings,
      `primary_hostname = mail.test
spool_directory = ${folder}/spool
log_file_path = ${folder}/log/%slog
pid_file_path = ${folder}/pid
tls_advertise_hosts = ${tls === '' ? '' : '*'}
tls_certificate = ${tls}
queue_only = true
keep_environment =
acl_smtp_rcpt = recipients
begin acl
recipients:
  defer recipients = gray@example.com
        message = greylisted
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

  /** Headers of the message in the queue. */
  function spooled(): string {
    const spool = join(folder, 'spool', 'input');
    const headers = readdirSync(spool).find((name) => name.endsWith('-H')) ?? '';
    return readFileSync(join(spool, headers), 'utf8');
  }

  it('R-104 delivers, and recognizes an unknown address', async () => {
    const mailer = createMailer(await start());
    expect(await mailer.send(mail('ada@example.com'))).toBe('sent');
    expect(await mailer.send(mail('refused@example.com'))).toEqual({ error: 'SMTP 550', isFinal: true });
    expect(await mailer.send(mail('gray@example.com'))).toEqual({ error: 'SMTP 451', isFinal: false });
    mailer.close();

    const text = spooled();
    expect(text).toContain('List-Unsubscribe: <https://pay.example/unsubscribe/eml_1>');
    expect(text).toContain('ada@example.com');
  });

  it('R-104 sends over STARTTLS, but not to a server with a self-signed certificate', async () => {
    const certificate = join(folder, 'mail.pem');
    execFileSync(
      'openssl',
      [
        ...'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=mail.test'.split(
          ' ',
        ),
        '-keyout',
        certificate,
        '-out',
        `${certificate}.crt`,
      ],
      { stdio: 'ignore' },
    );
    appendFileSync(certificate, readFileSync(`${certificate}.crt`));
    chmodSync(certificate, 0o644);
    const url = await start(certificate);
    const strict = createMailer(url);
    expect(await strict.send(mail('ada@example.com'))).toMatchObject({ isFinal: false });
    strict.close();
    const trusting = createMailer(`${url}/?tls.rejectUnauthorized=false`);
    expect(await trusting.send(mail('ada@example.com'))).toBe('sent');
    trusting.close();
    expect(readdirSync(join(folder, 'spool', 'input')).filter((name) => name.endsWith('-H'))).toHaveLength(1);
    expect(spooled()).toContain('with esmtps');
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
