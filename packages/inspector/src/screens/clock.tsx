import { useState } from 'preact/hooks';
import type { ClockView } from '@shared/inspector.js';
import { post } from '../api.js';
import { Action } from '../kit/action.js';
import { Facts, Placeholder } from '../kit/parts.js';
import { shortDuration } from '../kit/time.js';
import { useData } from '../live.js';

const STEPS = [
  { words: '+31 min', advance: '31m' },
  { words: '+2 d', advance: '2d' },
] as const;

export function Clock(): preact.JSX.Element {
  const { value: clock, problem } = useData<ClockView>('/clock');
  const [to, setTo] = useState('');
  if (!clock) return <Placeholder problem={problem} />;

  const move = (change: object) => () => post('/clock', change);
  return (
    <>
      <p class="big" role="timer" aria-label="Now">
        <time dateTime={clock.now}>{full(clock.now)}</time>
      </p>
      <Facts
        facts={{ Offset: clock.offsetMs === 0 ? 'None: real time' : `+${shortDuration(clock.offsetMs)}` }}
      />
      <div class="actions">
        {STEPS.map(({ words, advance }) => (
          <Action key={words} run={move({ advance })} done="The clock was moved.">
            {words}
          </Action>
        ))}
        <Action
          kind="danger"
          disabled={clock.offsetMs === 0}
          run={move({ reset: true })}
          done="Real time again."
        >
          Reset
        </Action>
      </div>
      <div class="actions">
        <label>
          To a date
          <input
            type="datetime-local"
            max="9998-12-31T23:59"
            value={to}
            onInput={({ currentTarget }) => setTo(currentTarget.value)}
          />
        </label>
        <Action
          disabled={to === ''}
          run={async () => move({ to: new Date(to).toISOString() })()}
          done="The clock was moved."
        >
          Go
        </Action>
      </div>
    </>
  );
}

const full = (at: string): string =>
  new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
