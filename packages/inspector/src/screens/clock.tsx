/** The service's clock, and what is scheduled on it. */
import { useState } from 'preact/hooks';
import type { ClockView } from '@shared/inspector.js';
import { addressOf } from '../address.js';
import { post } from '../api.js';
import { Action } from '../kit/action.js';
import { Facts, Missing, Panel } from '../kit/parts.js';
import { useData } from '../use-data.js';

const STEPS = [
  { words: '+31 min', advance: '31m' },
  { words: '+2 d', advance: '2d' },
] as const;

const always = (): boolean => true;

export function Clock(): preact.JSX.Element {
  const { value: clock, problem, show } = useData<ClockView>('/clock', always);
  const [to, setTo] = useState('');
  if (!clock) return <Missing problem={problem} />;

  const move = (wish: object) => async (): Promise<void> => show(await post<ClockView>('/clock', wish));
  return (
    <>
      <p class="big" role="timer" aria-label="Now">
        <time dateTime={clock.now}>{full(clock.now)}</time>
      </p>
      <Facts facts={{ Offset: clock.offsetMs === 0 ? 'none: real time' : `+${spoken(clock.offsetMs)}` }} />
      <div class="actions">
        <Action
          kind="main"
          disabled={clock.due.length === 0}
          run={move({ next: true })}
          done="The clock was moved."
        >
          Next due
        </Action>
        {STEPS.map(({ words, advance }) => (
          <Action key={words} run={move({ advance })} done="The clock was moved.">
            {words}
          </Action>
        ))}
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
        <Action
          kind="danger"
          disabled={clock.offsetMs === 0}
          run={move({ reset: true })}
          done="Real time again."
        >
          Reset
        </Action>
      </div>
      <Panel title="Due next">
        {clock.due.length === 0 && <p class="nothing">Nothing waits for the clock.</p>}
        <ol class="lines" aria-label="Due">
          {clock.due.map(({ at, what, sessionId, webhookId }, index) => (
            <li key={index}>
              <time dateTime={at}>{full(at)}</time>
              <span class="soft">{`in ${spoken(Math.max(0, Date.parse(at) - Date.parse(clock.now)))}`}</span>
              {sessionId !== undefined ? (
                <a href={addressOf('sessions', sessionId)}>{what}</a>
              ) : webhookId !== undefined ? (
                <a href={addressOf('webhooks', webhookId)}>{what}</a>
              ) : (
                <span>{what}</span>
              )}
            </li>
          ))}
        </ol>
      </Panel>
    </>
  );
}

const full = (at: string): string =>
  new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** `2 d 3 h`, `31 min`, `12 s`. */
function spoken(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes === 0) return `${Math.round(ms / 1_000)} s`;

  const parts = [
    [Math.floor(minutes / 1_440), 'd'],
    [Math.floor(minutes / 60) % 24, 'h'],
    [minutes % 60, 'min'],
  ] as const;
  return parts
    .filter(([count]) => count > 0)
    .slice(0, 2)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}
