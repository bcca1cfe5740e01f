import { listen } from '../listen.js';
import { parse, print, required, text, type Command } from './command.js';

export const listenCommand: Command = {
  usage: 'listen --inspector ADDRESS#TOKEN --forward-to URL',
  run: async (args) => {
    const { values } = parse(args, { inspector: { type: 'string' }, 'forward-to': { type: 'string' } });
    await listen({
      inspector: required(text(values['inspector']), '--inspector'),
      forwardTo: required(text(values['forward-to']), '--forward-to'),
      print,
    });
  },
};
