#!/usr/bin/env node
// Imports the rest only after this check, because an older Node may fail to load it.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major > 24 || (major === 24 && minor >= 15)) {
  const { main } = await import('./command-line.js');
  main();
} else {
  process.stderr.write(
    `embedded-sessions: Node 24.15 or later is required, but this is Node ${process.versions.node}.\n`,
  );
  process.exitCode = 1;
}
