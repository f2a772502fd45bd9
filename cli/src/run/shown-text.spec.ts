import { ShownText } from './shown-text.js';
import { planText } from './terraform.js';

const SAID =
  'Plan: 1 to add\n\n─────────────────\n\nSaved the plan to: tfplan\n\nTo perform exactly these actions, run: terraform apply "tfplan"\n';

describe('what terraform says of a plan', () => {
  it('is shown line by line, however it arrives, without the file that is not the one to apply', () => {
    for (const size of [1, 7, SAID.length]) {
      let shown = '';
      const text = new ShownText((part) => (shown += part));
      for (let at = 0; at < SAID.length; at += size) text.add(SAID.slice(at, at + size));
      text.end();
      expect(shown).toBe('Plan: 1 to add\n\n');
    }
  });

  it('is kept the same way', () => {
    expect(planText(SAID)).toBe('Plan: 1 to add');
  });
});
