/** Checks whether a processor module keeps the guarantees that the service relies on. */
import { randomUUID } from 'node:crypto';
import type { PaymentProcessor } from '../processor/rules/port.js';
import { Calls } from './calls.js';
import { CHECKS, type Check, type Guarantee } from './guarantees.js';
import type { ProcessorCheckOptions } from './options.js';

export type { Guarantee } from './guarantees.js';
export type { ProcessorCheckOptions, ProviderBooks } from './options.js';

/** A guarantee that a processor module violates. */
export interface ProcessorFailure {
  readonly guarantee: Guarantee;
  /** What happened instead. Contains no card or account number. */
  readonly message: string;
}

/**
 * Checks whether a processor module keeps every guarantee. Resolves to the failures, or an empty list. It charges and
 * refunds test cards, so give it a module for a test environment.
 *
 * @example
 * ```ts
 * import { checkProcessor } from '@embedded-sessions/service/processor-kit';
 * import processor from './processor.ts';
 *
 * const failures = await checkProcessor(processor, { secrets: [process.env.GATEWAY_KEY ?? ''] });
 * for (const { guarantee, message } of failures) console.error(`${guarantee}: ${message}`);
 * ```
 */
export async function checkProcessor(
  processor: PaymentProcessor,
  options: ProcessorCheckOptions = {},
): Promise<ProcessorFailure[]> {
  const failures: ProcessorFailure[] = [];
  const calls = new Calls(processor, options);
  for (const [guarantee, check] of Object.entries(CHECKS) as [Guarantee, Check][]) {
    const fail = (message: string): void => void failures.push({ guarantee, message });
    try {
      await check({
        calls,
        options,
        processor,
        newId: (prefix) => prefix + randomUUID().replaceAll('-', ''),
        fail,
      });
    } catch (error) {
      fail(error instanceof Error ? error.message : "threw something that isn't an Error");
    }
  }
  return failures;
}
