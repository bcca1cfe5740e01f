import type { AddMethodRequest, SavedMethod } from '@shared/page.js';
import type { Form, Problems } from '../design/form.js';
import type { ApiResult } from '../shell/api.js';
import { useShell } from '../shell/shell.js';
import { savedIdOf } from '../source/source-form.js';
import { newSource, refuseIn } from '../source/source-check.js';
import { useRequestId, sendChange } from './use-action.js';

interface MethodOptions {
  makeDefault?: () => boolean;
  /** Id of the saved card that the payer enters again to update its expiry date. */
  cardToUpdate?: string | undefined;
}

/**
 * Returns a function that resolves with the method that the payer chose. Saves it first if it is new, and the same input
 * only once.
 */
export function useMethod(
  form: Form,
  now: string,
  { makeDefault = () => false, cardToUpdate }: MethodOptions = {},
): () => Promise<ApiResult<{ id: string; added?: SavedMethod }>> {
  const shell = useShell();
  const requestId = useRequestId();
  return async () => {
    const savedId = savedIdOf(form.values);
    if (savedId !== null) return { kind: 'ok', data: { id: savedId } };

    const source = newSource(form.values, now);
    if (source === null) return { kind: 'unreachable' };

    const fields = {
      source,
      makeDefault: makeDefault(),
      ...(cardToUpdate === undefined ? {} : { renews: cardToUpdate }),
    };
    const request: AddMethodRequest = { requestId: requestId.of(fields), ...fields };
    const result = await sendChange<SavedMethod>(shell, 'methods', request);
    if (result.kind === 'ok') return { kind: 'ok', data: { id: result.data.id, added: result.data } };
    if (result.kind === 'refused') requestId.discard();
    return result;
  };
}

/**
 * For `Action.run`: shows validation errors of the service next to their fields.
 *
 * @param check finds problems that the page has better words for
 */
export function showFieldErrors(form: Form, check?: () => Problems): (result: ApiResult<unknown>) => boolean {
  return (result) => {
    if (result.kind !== 'refused' || result.code !== 'invalid') return false;
    refuseIn(form, result.errors, check?.());
    return true;
  };
}
