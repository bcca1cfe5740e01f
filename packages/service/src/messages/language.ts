/** Remembers the language of the pages that a customer uses, for messages. */
import type { Store } from '../core/store.js';
import type { Language } from '../shared/languages.js';

export async function rememberLanguage(store: Store, customerId: string, language: Language): Promise<void> {
  const known = await store.read((tx) => tx.customers.get(customerId));
  if (known?.language === language) return;
  await store.transaction(
    async (tx) => {
      const customer = await tx.customers.get(customerId);
      // An erased customer has no address, and stays as they are.
      if (customer && customer.emailAddress !== '') await tx.customers.update({ ...customer, language });
    },
    { repeatable: true },
  );
}
