// `pnpm image` builds the service as a container image with buildah. `--check` needs no registry: its base image is this
// machine's own Node. It starts the image with podman and creates a session.
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePorts } from './ports.mjs';
import { run } from './steps.mjs';

process.chdir(new URL('..', import.meta.url).pathname);
const isCheck = process.argv.includes('--check');
const TAG = 'localhost/embedded-sessions';
const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-image-'));
// Uses a temporary store, so that a check leaves nothing behind and needs no overlay file system.
const store = isCheck
  ? ['--storage-driver', 'vfs', '--root', join(folder, 'store'), '--runroot', join(folder, 'run')]
  : [];

async function must(command, ...args) {
  const { code, output } = await run(command, args);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}\n${output}`);
  return output.trim();
}
const buildah = (...args) => must('buildah', ...store, ...args);
const podman = (...args) => must('podman', ...store, '--runtime', 'runc', ...args);

/** Installs the service and its dependencies from the packed tarballs. */
async function installApp() {
  const app = join(folder, 'app');
  mkdirSync(app);
  writeFileSync(join(app, 'package.json'), '{ "private": true }');
  for (const name of ['server-types', 'service'])
    await must(
      'npx',
      '-y',
      'pnpm@12',
      '--filter',
      `./packages/${name}`,
      'pack',
      '--pack-destination',
      folder,
    );
  const tarballs = readdirSync(folder).filter((file) => file.endsWith('.tgz'));
  const flags = ['--omit=dev', '--no-audit', '--no-fund', '--prefix', app];
  await must('npm', 'install', ...flags, ...tarballs.map((file) => join(folder, file)));
  const sbom = execFileSync(process.execPath, ['tools/sbom.mjs', 'server-types', 'service']);
  writeFileSync(join(app, 'sbom.cdx.json'), sbom);
}

/** A base image of this machine's Node and the libraries it is linked to. */
async function baseOfThisMachine() {
  const root = join(folder, 'base');
  const node = realpathSync(process.execPath);
  const linked = await must('ldd', node);
  const libraries = new Set(linked.match(/\/\S+\.so\S*/g));
  const copy = (from, to) => {
    mkdirSync(join(root, dirname(to)), { recursive: true });
    copyFileSync(from, join(root, to));
  };
  copy(node, '/usr/local/bin/node');
  for (const library of libraries) copy(realpathSync(library), library);
  mkdirSync(join(root, 'tmp'));
  writeFileSync(join(root, 'Containerfile'), 'FROM scratch\nCOPY . /\nENV PATH=/usr/local/bin\n');
  await buildah('build', '--isolation', 'chroot', '-t', 'localhost/base', root);
  return 'localhost/base';
}

async function check() {
  const [port] = await freePorts(1);
  const config = {
    businessUnits: [{ slug: 'shop', name: 'Shop' }],
    apiKeys: [{ key: 'stg_of_the_image', businessUnits: ['shop'] }],
  };
  const file = join(folder, 'service.config.json');
  writeFileSync(file, JSON.stringify(config));
  const limits = ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1024:1024'];
  const serve = [
    'serve',
    '--env',
    'staging',
    '--port',
    `${port}`,
    '--database',
    ':memory:',
    '--config',
    '/config.json',
  ];
  const id = await podman(
    'run',
    '-d',
    '--network',
    'host',
    ...limits,
    '-v',
    `${file}:/config.json:ro`,
    TAG,
    ...serve,
  );
  try {
    const url = `http://127.0.0.1:${port}`;
    const isUp = () =>
      fetch(`${url}/readyz`).then(
        (response) => response.ok,
        () => false,
      );
    for (let waited = 0; !(await isUp()); waited += 100) {
      if (waited > 20_000) throw new Error(`It did not start.\n${await podman('logs', id)}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const response = await fetch(`${url}/integrations/embedded/initiate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-api-key': 'stg_of_the_image' },
      body: JSON.stringify({ BusinessUnitSlug: 'shop', Channel: 'QuickPay', Charges: [{ Amount: 1234 }] }),
    });
    const { data } = await response.json();
    if (!data?.PaymentLogInLink?.startsWith(`${url}/s/stg_`))
      throw new Error(`It returned ${response.status}.`);
    const count = `JSON.parse(fs.readFileSync('/app/sbom.cdx.json', 'utf8')).components.length`;
    const components = Number(await podman('exec', id, 'node', '-p', count));
    if (!(components > 30)) throw new Error(`The SBOM lists ${components} components.`);
    const user = await podman('inspect', '--format', '{{.Config.User}}', id);
    console.log(
      `A container of ${TAG} created a session as user ${user}. Its SBOM lists ${components} components.`,
    );
  } finally {
    await podman('stop', '-t', '10', id);
    await podman('rm', id);
  }
}

try {
  await installApp();
  const base = isCheck ? ['--build-arg', `BASE=${await baseOfThisMachine()}`] : [];
  const containerfile = 'packages/service/deploy/Containerfile';
  await buildah('build', '--isolation', 'chroot', ...base, '-t', TAG, '-f', containerfile, folder);
  if (isCheck) await check();
  else console.log(`Built ${TAG}.`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
