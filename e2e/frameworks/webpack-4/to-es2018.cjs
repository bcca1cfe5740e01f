const { transformSync } = require('esbuild');

module.exports = (source) => transformSync(source, { target: 'es2018' }).code;
