import { useEffect, useRef } from 'preact/hooks';
import { rest } from '../text/index.js';
import { focusOn } from './focus-on.js';
import { fieldId, type FormState } from './form.js';
import { Icon } from './icons.js';

/** Problems of a submitted form, each linked to its field. Takes the focus when a submit is rejected. */
export function ErrorSummary({ state }: { state: FormState }) {
  const box = useRef<HTMLDivElement>(null);
  const entries = Object.entries(state.shown);
  useEffect(() => {
    if (state.refusals === 0) return;
    // Expand a collapsed list that has a problem.
    for (const field of document.querySelectorAll('details [aria-invalid=true]'))
      field.closest('details')?.setAttribute('open', '');
    focusOn(box.current);
  }, [state.refusals]);
  if (!state.summary || entries.length === 0) return null;
  return (
    <div ref={box} class="notice danger" role="alert" tabIndex={-1}>
      <Icon name="alert" />
      <div>
        <p>
          <b>{rest.common.errorsTitle(entries.length)}</b>
        </p>
        <ul>
          {entries.map(([name, problem]) => (
            <li key={name}>
              <a
                href={`#${fieldId(name)}`}
                onClick={(event) => {
                  event.preventDefault();
                  document.getElementById(fieldId(name))?.focus();
                }}
              >
                {problem}
              </a>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
