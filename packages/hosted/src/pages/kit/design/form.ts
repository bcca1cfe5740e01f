/**
 * The state of a form as a pure reducer: what its fields hold and which problems are shown. A problem shows when its
 * field is left or the form is submitted, and goes when it is mended.
 */
import { useReducer, useRef } from 'preact/hooks';

export type Values = Readonly<Record<string, string>>;
/** What is wrong, by field, in the order of the form. */
export type Problems = Readonly<Record<string, string>>;

export interface FormState {
  values: Values;
  shown: Problems;
  /** Counts the submits that were refused: each one moves the focus to the summary. */
  refusals: number;
  /** The summary lists the problems that are shown. */
  summary: boolean;
}

export type FormEvent =
  /** `before`: what was wrong until then. */
  | { type: 'edit'; field: string; value: string; problems: Problems; before?: Problems }
  | { type: 'leave'; field: string; problems: Problems }
  /** Submitted and found wanting, by the page or by the service. */
  | { type: 'refuse'; problems: Problems }
  | { type: 'accept' }
  | { type: 'reset'; values: Values };

export function formReducer(state: FormState, event: FormEvent): FormState {
  switch (event.type) {
    case 'edit': {
      const values = { ...state.values, [event.field]: event.value };
      const field = state.shown[event.field] === undefined ? null : event.field;
      return { ...state, values, shown: review(state.shown, field, event.problems, event.before) };
    }
    case 'leave':
      // Passing an empty field is no mistake yet.
      if ((state.values[event.field] ?? '') === '') return state;
      return { ...state, shown: review(state.shown, event.field, event.problems) };
    case 'refuse':
      return { ...state, shown: event.problems, refusals: state.refusals + 1, summary: true };
    case 'accept':
      return { ...state, shown: {}, summary: false };
    case 'reset':
      return { values: event.values, shown: {}, refusals: 0, summary: false };
  }
}

/**
 * What is shown once `field` was looked at again, in the order of the form. What the service found stays; what was found
 * `before` and is no problem any more goes, such as of a field that another choice took away.
 */
function review(shown: Problems, field: string | null, problems: Problems, before: Problems = {}): Problems {
  const found = Object.entries(problems).filter(([name]) => name === field || shown[name] !== undefined);
  const others = Object.entries(shown).filter(
    ([name]) => name !== field && problems[name] === undefined && before[name] === undefined,
  );
  return Object.fromEntries([...found, ...others]);
}

export interface Form {
  /** As typed last. */
  readonly values: Values;
  state: FormState;
  /** What it held when it was drawn or reset. */
  untouched: Values;
  /** What a field component needs. */
  field: (name: string) => FieldBinding;
  /** True when nothing is wrong; else the problems are shown and the summary is focused. */
  submit: () => boolean;
  refuse: (problems: Problems) => void;
  reset: (values?: Values) => void;
}

export interface FieldBinding {
  id: string;
  value: string;
  problem: string | undefined;
  onValue: (value: string) => void;
  onLeave: () => void;
}

/** Another one for each name, whatever a business unit calls its fields. */
export function fieldId(name: string): string {
  return `field-${name.replace(/[\W_]/g, (sign) => `_${sign.charCodeAt(0)}_`)}`;
}

export function useForm(initial: Values, check: (values: Values) => Problems): Form {
  const [state, send] = useReducer(formReducer, { values: initial, shown: {}, refusals: 0, summary: false });
  // What was typed last, also before it has been drawn: a press right after a keystroke must see it.
  const latest = useRef(state.values);
  const untouched = useRef(initial);
  return {
    get values() {
      return latest.current;
    },
    state,
    untouched: untouched.current,
    field: (name) => ({
      id: fieldId(name),
      value: state.values[name] ?? '',
      problem: state.shown[name],
      onValue(value) {
        const before = check(latest.current);
        latest.current = { ...latest.current, [name]: value };
        send({ type: 'edit', field: name, value, problems: check(latest.current), before });
      },
      onLeave: () => send({ type: 'leave', field: name, problems: check(latest.current) }),
    }),
    submit() {
      const problems = check(latest.current);
      const fine = Object.keys(problems).length === 0;
      send(fine ? { type: 'accept' } : { type: 'refuse', problems });
      return fine;
    },
    refuse: (problems) => send({ type: 'refuse', problems }),
    reset(values = initial) {
      latest.current = values;
      untouched.current = values;
      send({ type: 'reset', values });
    },
  };
}

/** Something was typed or chosen since it was drawn or reset. */
export function isTouched({ state, untouched }: Form): boolean {
  return Object.entries(state.values).some(([name, value]) => value !== (untouched[name] ?? ''));
}
