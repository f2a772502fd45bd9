// Stands for `fast-check` in every suite: all of its properties begin with one seed.
const fastCheck = require('../../node_modules/fast-check/lib/cjs/fast-check.js');
const { SEED } = require('./endurance');

fastCheck.configureGlobal({ ...fastCheck.readConfigureGlobal(), seed: SEED });

module.exports = fastCheck;
