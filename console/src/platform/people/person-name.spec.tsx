/** @jest-environment @happy-dom/jest-environment */
import { render } from '@testing-library/react';
import { initialsOf } from './initials';
import { PersonName } from './person-name';

it.each([
  ['Ada Lovelace', 'AL'],
  ['ada', 'A'],
  ['Grace Brewster Murray Hopper', 'GH'],
  ['  émile   (öps) zola ', 'ÉZ'],
  ['o’brien', 'OB'],
  ['𝒜da 7', '𝒜7'],
  ['漢字', '漢'],
  ['<img src=x onerror=alert(1)>', 'I1'],
  ['!!! 👩‍🚀', ''],
  ['', ''],
])('%p has the initials %p', (name, initials) => {
  expect(initialsOf(name)).toBe(initials);
});

it('is read as the name alone, and loads nothing', () => {
  const { container } = render(<PersonName name="<img src=x> Ada" />);
  const initials = container.querySelector('[aria-hidden="true"]');
  expect(initials?.textContent).toBe('IA');
  initials?.remove();
  expect(container.textContent).toBe('<img src=x> Ada');
  expect(container.querySelectorAll('img, picture, svg, [src], [style]').length).toBe(0);
});
