import { AppError } from '../../../platform/errors/index.js';
import { requestValidation } from '../../../platform/http/validation.js';
import { ChangeGroupBody, GroupTokenBody, ProvisionGroupBody } from './installations.dto.js';

describe.each([
  ['ProvisionGroupBody', ProvisionGroupBody],
  ['ChangeGroupBody', ChangeGroupBody],
  ['GroupTokenBody', GroupTokenBody],
])('The access token in a %s', (_, metatype) => {
  const outcomeOf = (access_token: string): Promise<unknown> =>
    requestValidation
      .transform({ name: 'x', group_id: 5, access_token }, { type: 'body', metatype })
      .catch((error: unknown) => error);

  it.each(['x\r\nX-Other: 1', 'x y', 'x\ty', '\u0000', 'x\u007f', 'ü', '日本'])(
    'is not %j',
    async (token) => {
      const outcome = await outcomeOf(token);
      expect(outcome).toBeInstanceOf(AppError);
      expect(outcome).toMatchObject({
        status: 400,
        message: expect.stringContaining('access_token') as string,
      });
    },
  );

  it('is visible ASCII, without the blanks around it', async () => {
    expect(await outcomeOf(' glpat-!~_.= \n')).toMatchObject({ access_token: 'glpat-!~_.=' });
  });
});

it('keeps an access token that is null for absent', async () => {
  const body = { access_token: null, regenerate_webhook_secret: true };
  expect(await requestValidation.transform(body, { type: 'body', metatype: ChangeGroupBody })).toEqual({
    regenerate_webhook_secret: true,
  });
  await expect(
    requestValidation.transform({ access_token: null }, { type: 'body', metatype: GroupTokenBody }),
  ).rejects.toMatchObject({ status: 400, message: 'access_token is required' });
});

it.each([0, -1, 1.5, 1e15, 2 ** 60, '0x10', '1e3', null, [1], true])(
  'takes no group with the id %j',
  async (group_id) => {
    const body = { name: 'x', group_id, access_token: 'x' };
    await expect(
      requestValidation.transform(body, { type: 'body', metatype: ProvisionGroupBody }),
    ).rejects.toMatchObject({ status: 400, message: expect.stringContaining('group_id') as string });
  },
);
