import { library } from '../../vite.library.js';

export default library(['index', 'testing', 'element', 'playwright', 'undeclared', 'internal'], []);
