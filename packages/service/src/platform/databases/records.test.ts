import { describe, expect, it } from 'vitest';
import type { PayerMessage } from '../../messages/rules.js';
import { recordsOf } from './records.js';

describe('records', () => {
  const { read, row } = recordsOf<'messages', Pick<PayerMessage, 'id' | 'sessionId' | 'facts' | 'lastError'>>(
    {
      json: ['facts'],
    },
  );

  it('are read from rows without their nulls, and written back', () => {
    const found = { id: 'eml_1', session_id: 'stg_1', facts: '{"amount":1}', last_error: null };
    const record = { id: 'eml_1', sessionId: 'stg_1', facts: { amount: 1 } };
    expect(read(found as never)).toStrictEqual(record);
    expect(row(record)).toStrictEqual({ id: 'eml_1', session_id: 'stg_1', facts: '{"amount":1}' });
  });

  it('write null for a field that is undefined', () => {
    expect(row({ id: 'eml_1', facts: {}, lastError: undefined } as never)).toStrictEqual({
      id: 'eml_1',
      facts: '{}',
      last_error: null,
    });
  });
});
