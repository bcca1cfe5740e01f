/** The seven flows of the service, spelt as on every wire; a test keeps them the contract's. */
export type Flow =
  | 'payment'
  | 'autopay'
  | 'wallet'
  | 'paperless'
  | 'schedule-payment'
  | 'scheduled-payments'
  | 'notifications';
