// The payment page by itself: in one file it is a kilobyte smaller, and hardly anybody opens two flows in a row. What its
// first form does without is another file, which it reads behind that form.
import { defineConfig, type UserConfig } from 'vite';
import { pagesBuild } from './vite.pages.js';

/** Modules that the page reads late. A module that both need stands in the first file. */
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
        // What the words of both need stands in the first too: no third file, and no round trip for it.
        test: (module) => /node_modules|vite\/|\/src\//.test(module) && !late.test(module),
      },
    ],
  }),
);
export default config;
