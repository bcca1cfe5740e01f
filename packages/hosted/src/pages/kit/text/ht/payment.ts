import type { PaymentText } from '../catalog.js';
import { shared } from './shared.js';

/** What the payment page says, in Haitian Creole. */
export const payment: PaymentText = {
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
  bankAccount: 'kont labank mwen',
  bankEnding: (last4) => `kont labank mwen ki fini ak ${last4}`,
  achTerms: (business, amount, account, date) =>
    `Lè m peze Peye, mwen otorize ${business} pou l retire ${amount} nan ${account} pa mwayen elektwonik, yon sèl fwa, nan dat ${date} oswa apre, epi pou l korije nenpòt retrè ki fèt pa erè. Mwen ka revoke otorizasyon sa a si m kontakte ${business} anvan yo voye peman an bay bank mwen.`,
  pos: (agent) => `${agent} pran peman an`,
  posHint: 'Se yon ajan ki antre enfòmasyon moun k ap peye a, epi yo pa ka anrejistre.',
};

export default { shared, part: payment };
