/**
 * Form state as a pure reducer: field values and visible problems. A problem appears when its field loses focus or the form is
 * submitted, and disappears when it is fixed.
 */
import { useRef, useState } from 'preact/hooks';

export type Values = Readonly<Record<string, string>>;
/** Problems by field, in the order of the form. */
export type Problems = Readonly<Record<string, string>>;

export interface FormState {
  values: Values;
  shown: Problems;
  /**
   * Problems that were shown and have been fixed. Their lines keep their height until the next submit, so nothing
   * moves.
   */
  fixed: Problems;
  /** Counts rejected submits. Each one moves the focus to the first invalid field. */
  refusals: number;
  /** How many fields were invalid at the last submit. Does not change while they are fixed. */
  refusedFields: number;
}

export type FormEvent =
  /** `before`: the problems before the edit. */
  | { type: 'edit'; field: string; value: string; problems: Problems; before?: Problems }
  | { type: 'leave'; field: string; problems: Problems }
  /** The page or the service rejected the submit. */
  | { type: 'refuse'; problems: Problems }
  | { type: 'accept' }
  | { type: 'reset'; values: Values };

export function formReducer(state: FormState, event: FormEvent): FormState {
  switch (event.type) {
    case 'edit': {
      const values = { ...state.values, [event.field]: event.value };
      const field = state.shown[event.field] === undefined ? null : event.field;
      const shown = review(state.shown, field, event.problems, event.before);
      return { ...state, values, shown, fixed: { ...state.fixed, ...state.shown } };
    }
    case 'leave':
      // Don't complain about an empty field that the payer tabs through.
      if ((state.values[event.field] ?? '') === '') return state;
      return { ...state, shown: review(state.shown, event.field, event.problems) };
    case 'refuse':
      return {
        ...state,
        shown: event.problems,
        fixed: {},
        refusals: state.refusals + 1,
        refusedFields: Object.keys(event.problems).length,
      };
    case 'accept':
      return { ...state, shown: {}, fixed: {}, refusedFields: 0 };
    case 'reset':
      return initialState(event.values);
  }
}

export function initialState(values: Values): FormState {
  return { values, shown: {}, fixed: {}, refusals: 0, refusedFields: 0 };
}

/**
 * Returns the problems to show after `field` was validated again, in the order of the form. Keeps problems that the
 * service found. Drops problems from `before` that no longer exist, such as those of a field that was removed.
 */
function review(shown: Problems, field: string | null, problems: Problems, before: Problems = {}): Problems {
  const found = Object.entries(problems).filter(([name]) => name === field || shown[name] !== undefined);
  const others = Object.entries(shown).filter(
    ([name]) => name !== field && problems[name] === undefined && before[name] === undefined,
  );
  return Object.fromEntries([...found, ...others]);
}

export interface Form {
  /** What the payer has typed, even if it is not rendered yet. */
  readonly values: Values;
  state: FormState;
  /** The values at the first render or the last reset. */
  untouched: Values;
  /** Props for a field component. */
  field: (name: string) => FieldBinding;
  /** Returns true if the form is valid. Otherwise shows the problems and focuses the first invalid field. */
  submit: () => boolean;
  refuse: (problems: Problems) => void;
  reset: (values?: Values) => void;
}

export interface FieldBinding {
  id: string;
  value: string;
  problem: string | undefined;
  /** A problem that is fixed. Its line keeps its height. */
  fixed: string | undefined;
  onValue: (value: string) => void;
  onLeave: () => void;
}

/** Unique per name, whatever characters a business unit uses in field names. */
export function fieldId(name: string): string {
  return `field-${name.replace(/[\W_]/g, (sign) => `_${sign.charCodeAt(0)}_`)}`;
}

export function useForm(initial: Values, check: (values: Values) => Problems): Form {
  const [, redraw] = useState({});
  // Not the rendered state, because a click right after a keystroke must see its value.
  const latest = useRef(initialState(initial));
  const untouched = useRef(initial);
  const send = (event: FormEvent): void => {
    latest.current = formReducer(latest.current, event);
    redraw({});
  };
  const state = latest.current;
  return {
    get values() {
      return latest.current.values;
    },
    state,
    untouched: untouched.current,
    field: (name) => ({
      id: fieldId(name),
      value: state.values[name] ?? '',
      problem: state.shown[name],
      fixed: state.fixed[name],
      onValue(value) {
        const { values } = latest.current;
        const problems = check({ ...values, [name]: value });
        send({ type: 'edit', field: name, value, problems, before: check(values) });
      },
      onLeave: () => send({ type: 'leave', field: name, problems: check(latest.current.values) }),
    }),
    submit() {
      const problems = check(latest.current.values);
      const isValid = Object.keys(problems).length === 0;
      send(isValid ? { type: 'accept' } : { type: 'refuse', problems });
      return isValid;
    },
    refuse: (problems) => send({ type: 'refuse', problems }),
    reset(values = initial) {
      untouched.current = values;
      send({ type: 'reset', values });
    },
  };
}

/** Whether the user has changed a value since the first render or the last reset. */
export function isTouched({ state, untouched }: Form): boolean {
  return Object.entries(state.values).some(([name, value]) => value !== (untouched[name] ?? ''));
}
