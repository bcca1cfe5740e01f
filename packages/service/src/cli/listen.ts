import { listen } from '../start/listen.js';
import { findDevAddress } from '../start/dev-address.js';
import { misused, parse, print, required, text, type Command } from './command.js';

export const listenCommand: Command = {
  usage: 'listen --forward-to URL [--inspector ADDRESS#TOKEN]',
  run: async (args) => {
    const { values } = parse(args, { inspector: { type: 'string' }, 'forward-to': { type: 'string' } });
    const forwardTo = url(required(text(values['forward-to']), '--forward-to'), '--forward-to');
    const given = text(values['inspector']);
    const inspector = given ?? findDevAddress();
    if (inspector === undefined)
      throw misused(
        'No "embedded-sessions dev" runs here: start it, or give --inspector the address that "serve" printed.',
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
  throw misused(`${flag} must be an address that begins with http:// or https://.`);
}
