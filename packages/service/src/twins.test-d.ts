/** Deliberately duplicated types must stay identical. */
import type { Appearance as LoaderAppearance, FlowEvent } from '@embedded-sessions/loader';
import type { Flow, NotificationKind as ToldKind, PaymentMethod } from '@embedded-sessions/server-types';
import { expectTypeOf } from 'vitest';
import type { PaymentSource } from './processor/rules/port.js';
import type { MethodUse } from './wallet/rules.js';
import type { Appearance } from './shared/appearance.js';
import type { NewSource, PageSession, SavedMethod, NotificationKind } from './shared/page.js';

expectTypeOf<PageSession['flow']>().toEqualTypeOf<Flow>();
expectTypeOf<NewSource['method']>().toEqualTypeOf<PaymentMethod>();
expectTypeOf<PaymentSource>().toEqualTypeOf<NewSource>();
expectTypeOf<SavedMethod['usedBy'][number]>().toEqualTypeOf<MethodUse>();
expectTypeOf<NotificationKind>().toEqualTypeOf<ToldKind>();
// The page's own brand is for the SDK alone.
expectTypeOf<Appearance>().toEqualTypeOf<Omit<LoaderAppearance, 'brand'>>();

/** The emitter of each flow event: our SDK, or the loader, which observes any SDK. */
const EMITTED_BY = {
  opened: 'sdk',
  ready: 'sdk',
  processing: 'sdk',
  completed: 'sdk',
  closed: 'sdk',
  expired: 'sdk',
  error: 'sdk',
  unobservable: 'loader',
} as const;
expectTypeOf<keyof typeof EMITTED_BY>().toEqualTypeOf<FlowEvent['type']>();
