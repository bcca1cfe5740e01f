import { expect, it } from 'vitest';
import { sourceRefused } from './port.js';
import { readRefusal } from './response.js';

it.each([{}, 'x'.repeat(41), 'card\nNumber'])(
  'R-91 shows a short line if a processor refuses a source with a long text and the field %j',
  (field) => {
    const refused = Object.assign(sourceRefused('No\u001b\u202e'.repeat(1_000)), { field });
    const shown = readRefusal(refused);
    expect(shown).toEqual({ field: 'source', message: expect.stringMatching(/^(?:No *)+…$/) as string });
    expect(shown.message.length).toBeLessThanOrEqual(301);
  },
);
