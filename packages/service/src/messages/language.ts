/** Stores the language of a customer's pages, for messages. */
import type { Store } from '../core/store.js';
import type { Language } from '../shared/languages.js';

export async function rememberLanguage(store: Store, customerId: string, language: Language): Promise<void> {
  const current = await store.read((tx) => tx.customers.get(customerId));
  if (current?.language === language) return;
  await store.transaction(
    async (tx) => {
      const customer = await tx.customers.get(customerId);
      // An erased customer has no address and must not change.
      if (customer && customer.emailAddress !== '') await tx.customers.update({ ...customer, language });
    },
    { repeatable: true },
  );
}
