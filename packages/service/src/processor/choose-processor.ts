import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { reasonOf, quotable } from '../core/quotable.js';
import { ServiceError } from '../core/error.js';
import { isWebOrigin } from '../platform/config/config.js';
import type { PaymentProcessor } from './rules/port.js';
import type { ServiceEnvironment } from '../shared/environment.js';

export interface ProcessorOptions {
  readonly env: ServiceEnvironment;
  /** A processor, or a module that default-exports one. */
  readonly processor?: PaymentProcessor | string;
  readonly testProcessor?: boolean;
  /** Run without a processor on purpose. */
  readonly noProcessor?: boolean;
}

/** Returns undefined if payments are unavailable. @throws ServiceError `invalid_arguments` or `processor_invalid` */
export async function chooseProcessor(
  options: ProcessorOptions,
): Promise<PaymentProcessor | 'test' | undefined> {
  const { env, processor, testProcessor, noProcessor } = options;
  const given = [processor !== undefined, testProcessor === true, noProcessor === true].filter(Boolean);
  if (given.length > 1)
    throw new ServiceError(
      'invalid_arguments',
      'Use only one of --processor, --test-processor and --no-processor.',
    );
  if (env === 'production' && testProcessor === true)
    throw new ServiceError('invalid_arguments', 'production has no test processor: remove --test-processor.');
  if (processor !== undefined)
    return withValidOrigins(typeof processor === 'string' ? await loadProcessor(processor) : processor);
  if (noProcessor === true) return undefined;
  return (testProcessor ?? env === 'staging') ? 'test' : undefined;
}

/** @throws ServiceError if an origin is not valid in a Content-Security-Policy */
function withValidOrigins(processor: PaymentProcessor): PaymentProcessor {
  const { frameOrigins = [] }: { readonly frameOrigins?: unknown } = processor;
  if (Array.isArray(frameOrigins) && frameOrigins.every(isWebOrigin)) return processor;
  throw new ServiceError(
    'processor_invalid',
    `frameOrigins of the processor must be a list of origins such as https://challenges.gateway.example, not ${JSON.stringify(frameOrigins)}.`,
  );
}

async function loadProcessor(module: string): Promise<PaymentProcessor> {
  const isPath = /^[./]|^[A-Za-z]:|\.[cm]?[jt]s$/.test(module);
  let loaded: { default?: unknown };
  try {
    loaded = (await import(isPath ? pathToFileURL(resolve(module)).href : module)) as { default?: unknown };
  } catch (cause) {
    throw new ServiceError(
      'processor_invalid',
      `The processor ${quotable(module, 'of --processor')} cannot be loaded: ${reasonOf(cause, module)}`,
      { cause },
    );
  }
  const candidate = (loaded.default ?? {}) as Record<string, unknown>;
  const missing = ['tokenize', 'charge', 'lookup'].filter((name) => typeof candidate[name] !== 'function');
  if (missing.length > 0)
    throw new ServiceError(
      'processor_invalid',
      `The default export of ${module} must be a PaymentProcessor: it has no ${missing.join(', ')}.`,
    );
  return candidate as unknown as PaymentProcessor;
}
