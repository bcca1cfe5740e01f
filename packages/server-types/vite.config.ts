import { mergeConfig } from 'vite';
import { library } from '../../vite.library.js';
import manifest from './package.json' with { type: 'json' };

export default mergeConfig(library(['index', 'back-office', 'schemas'], ['zod']), {
  define: { PACKAGE_VERSION: JSON.stringify(manifest.version) },
});
