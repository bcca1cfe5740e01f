/** Gets a saved method for a flow: the chosen one, or a new one after the service has saved it. */
import type { AddMethodRequest, SavedMethod } from '@shared/page.js';
import type { Form } from '../design/form.js';
import type { Answer } from '../shell/api.js';
import { useShell } from '../shell/shell.js';
import { savedIdOf } from '../source/source-form.js';
import { newSource, refuseIn } from '../source/source-check.js';
import { useRequestId } from './use-action.js';

export interface MethodOf {
  /** Idempotent: the same fields resolve to the same method, which is saved once. */
  resolve(): Promise<Answer<{ id: string; added?: SavedMethod }>>;
}

export function useMethod(
  form: Form,
  now: string,
  makeDefault: () => boolean = () => false,
  /** Id of the saved card that is entered again, to update its expiry date. */
  cardToUpdate?: string,
): MethodOf {
  const { api } = useShell();
  const requestId = useRequestId();
  return {
    async resolve() {
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
      const answer = await api.post<SavedMethod>('methods', request);
      if (answer.kind === 'ok') return { kind: 'ok', data: { id: answer.data.id, added: answer.data } };
      if (answer.kind === 'refused') requestId.discard();
      return answer;
    },
  };
}

/** For `Action.run`: shows the problems that the service found next to their fields. */
export function showIn(form: Form): (answer: Answer<unknown>) => boolean {
  return (answer) => {
    if (answer.kind !== 'refused' || answer.code !== 'invalid') return false;
    refuseIn(form, answer.errors);
    return true;
  };
}
