import { describeShadowRuns } from '../support/shadow-suite.js';

/** SHADOW_SCRIPTS=20 is a run of some minutes. */
describeShadowRuns(Number(process.env['SHADOW_SCRIPTS'] ?? 100), 120);
