/** @jest-environment @happy-dom/jest-environment */
import fc from 'fast-check';
import { pageOf } from './run-query';

it('finds the token of a page in a Link header', () => {
  const links = '</api/v1/mql?q=a%2Cb&page=P1>; rel="prev", </api/v1/mql?q=a%2Cb&page=P2>; rel="next"';
  expect([pageOf(links, 'next'), pageOf(links, 'prev'), pageOf('', 'next')]).toEqual(['P2', 'P1', undefined]);
});

it('reads any token back', () => {
  fc.assert(
    fc.property(fc.base64String(), fc.constantFrom('next', 'prev'), (token, rel) => {
      const query = new URLSearchParams({ q: 'SELECT 1, 2', page: token });
      expect(pageOf(`</api/v1/mql?${query}>; rel="${rel}"`, rel)).toBe(token);
    }),
  );
});
