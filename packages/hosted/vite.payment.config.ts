// Builds the payment page on its own: one file is a kilobyte smaller, and few payers open two flows in a row. A second file
// loads after the first form.
import { defineConfig, type UserConfig } from 'vite';
import { pagesBuild } from './vite.pages.js';

/** Modules that load late. A module that both parts import belongs in the first file. */
const LATE = [
  'flows/payment/(?:challenge|checking|email-receipt|form-notice|late|machine|order|outcome|payment-state|receipt)',
  'kit/design/(?:account-name|account-rows|error-summary|focus-on|link-button|more-icons|notice|rest|row)',
  'kit/format/(?:instant|read-expiry)',
  'kit/shell/(?:begin-at|failure|keep-attempt|new-id|problem|rest|send)',
  'kit/source/(?:bank-fields|country-field|rest|source-check)',
  'kit/text/(?!index|plural)',
  'src/page-api',
  'shared/(?:email|returned)',
  'shared/(?:authorization/|bank|check-card|postcode|read-expiry)',
];
const late = new RegExp(`/(?:${LATE.join('|')})`);

const config: UserConfig = defineConfig(
  pagesBuild({
    name: 'payment',
    flows: ['payment'],
    texts: ['payment', 'after'],
    files: [
      {
        name: 'page',
        // Code that both catalogs import belongs here too, to save a third file and its round trip.
        test: (module) => /node_modules|vite\/|\/src\//.test(module) && !late.test(module),
      },
    ],
  }),
);
export default config;
