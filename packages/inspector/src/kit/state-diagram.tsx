/** The states of a flow from left to right, with the final states below each other. */
interface StateDiagramProps {
  /** From the first to the final states. */
  states: readonly string[];
  current: string;
}

/** A state that is not final. */
const BETWEEN = 'Processing';

export function StateDiagram({ states, current }: StateDiagramProps): preact.JSX.Element {
  const [first = '', ...others] = states;
  const steps = [
    [first],
    others.filter((state) => state === BETWEEN),
    others.filter((state) => state !== BETWEEN),
  ];
  return (
    <ol class="diagram" aria-label="States">
      {steps
        .filter((step) => step.length > 0)
        .map((step) => (
          <li key={step[0]}>
            <ul>
              {step.map((state) => (
                <li key={state} class="state" aria-current={state === current ? 'step' : undefined}>
                  {state}
                </li>
              ))}
            </ul>
          </li>
        ))}
    </ol>
  );
}
