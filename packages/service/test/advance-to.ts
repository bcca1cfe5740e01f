import type { OpenTestService } from '../src/start/test-service.js';

/** Moves the service's clock to an instant (ISO 8601, or ms since 1970) and runs the jobs. */
export async function advanceTo(
  { control, deps: { clock } }: OpenTestService,
  instant: string | number,
): Promise<void> {
  await control.advance(new Date(instant).getTime() - clock.now());
}
