import { bankDebit } from '../../../../../../service/src/shared/authorization/ht.js';
import type { PaymentText } from '../catalog.js';
import { shared } from './shared.js';

/** What the payment page says, in Haitian Creole. */
export const payment: PaymentText = {
  ...bankDebit,
  title: (business) => `Peye ${business}`,
  summary: 'Rezime',
  total: 'Total',
  charge: 'Peman',
  chooseAccounts: 'Chwazi sa ou vle peye',
  selectAll: 'Chwazi tout',
  selectNone: 'Retire tout chwa yo',
  chosen: (count, of) => `Ou chwazi ${count} sou ${of}`,
  amountFor: (account) => `Montan pou ${account}`,
  upTo: (max) => `Jiska ${max}`,
  reference: 'Referans',
  paymentDetails: 'Detay peman an',
  pay: (amount) => `Peye ${amount}`,
  payPlain: 'Peye',
  notCharged: 'Yo pa pran okenn lajan.',
  save: 'Anrejistre mwayen peman sa a',
  saveHint: (email) => `Pou pwochen peman ${email} yo`,
  pos: (agent) => `${agent} pran peman an`,
  posHint: 'Se yon ajan ki antre enfòmasyon moun k ap peye a, epi yo pa ka anrejistre.',
};

export default { shared, part: payment };
