import { describeShadowRuns } from '../support/shadow-suite.js';

describeShadowRuns(Number(process.env['SHADOW_SCRIPTS'] ?? 1), 40);
