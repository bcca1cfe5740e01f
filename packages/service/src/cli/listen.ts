import { listen } from '../start/listen.js';
import { findDevAddress } from '../start/dev-address.js';
import { usageError, print, required, type Command, type ValuesOf } from './command.js';

const OPTIONS = {
  'forward-to': { type: 'string', help: 'Address that receives the webhooks' },
  inspector: {
    type: 'string',
    help: 'Inspector address with its token, as "serve" prints it; default: $EMBEDDED_SESSIONS_INSPECTOR, else that of "dev"',
  },
} as const;

export const listenCommand: Command = {
  usage: 'listen --forward-to URL [--inspector ADDRESS#TOKEN]',
  summary: 'Forwards the webhooks of a local service to your backend.',
  options: OPTIONS,
  run: async (values: ValuesOf<typeof OPTIONS>) => {
    const forwardTo = url(required(values['forward-to'], '--forward-to'), '--forward-to');
    const given = values.inspector ?? (process.env['EMBEDDED_SESSIONS_INSPECTOR'] || undefined);
    const inspector = given ?? findDevAddress();
    if (inspector === undefined)
      throw usageError(
        'No "embedded-sessions dev" is running: start it, or set EMBEDDED_SESSIONS_INSPECTOR to the address that "serve" printed.',
      );

    await listen({
      inspector: url(inspector, '--inspector'),
      forwardTo,
      print,
      ...(given === undefined ? { next: findDevAddress } : {}),
    });
  },
};

function url(value: string, flag: string): string {
  if (/^https?:/i.test(value) && URL.canParse(value)) return value;
  throw usageError(`${flag} must start with http:// or https://.`);
}
