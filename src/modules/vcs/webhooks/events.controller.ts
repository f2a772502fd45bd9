import {
  type CanActivate,
  Controller,
  createParamDecorator,
  type ExecutionContext,
  Headers,
  Injectable,
  Post,
  UseGuards,
} from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { Answers, Refuses, StreamedBody } from '../../../platform/http/index.js';
import { Public } from '../../access/index.js';
import { NoContentView } from '../dto/installations.dto.js';
import type { WebhookGroup } from '../hosts/group-credentials.store.js';
import { DeliveryIntake } from './delivery-intake.service.js';
import { RawBody } from './raw-body.js';

const DELIVERY = { schema: { type: 'object' as const, additionalProperties: true } };

/** Refuses an unsigned delivery before its body is read. */
@Injectable()
export class GithubSignatureGuard implements CanActivate {
  constructor(private readonly intake: DeliveryIntake) {}

  canActivate(context: ExecutionContext): boolean {
    this.intake.checkGithubHead(context.switchToHttp().getRequest<Request>().get('x-hub-signature-256'));
    return true;
  }
}

const groups = new WeakMap<object, WebhookGroup>();

/** Finds the group whose secret the delivery carries, before its body is read. */
@Injectable()
export class GroupSecretGuard implements CanActivate {
  constructor(private readonly intake: DeliveryIntake) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    groups.set(request, await this.intake.findGroup(request.get('x-gitlab-token')));
    return true;
  }
}

const SendingGroup = createParamDecorator((_: unknown, context: ExecutionContext): WebhookGroup => {
  const group = groups.get(context.switchToHttp().getRequest<Request>());
  if (!group) throw new Error('the route lacks GroupSecretGuard');
  return group;
});

/** Where the providers send what happened. */
@ApiTags('code hosting')
@Controller()
export class EventsController {
  constructor(private readonly intake: DeliveryIntake) {}

  /** Takes a delivery of the app's webhook, signed with `X-Hub-Signature-256`. */
  @Post('github/events')
  @Public()
  @StreamedBody()
  @UseGuards(GithubSignatureGuard)
  @ApiBody(DELIVERY)
  @Answers(200, NoContentView)
  @Refuses(400, 401, 413, 503)
  async receiveGithub(
    @Headers('x-hub-signature-256') signature: string,
    @Headers('x-github-delivery') deliveryId: string | undefined,
    @Headers('x-github-event') event: string | undefined,
    @RawBody() body: Buffer,
  ): Promise<NoContentView> {
    await this.intake.receiveGithub({ signature, deliveryId, event }, body);
    return {};
  }

  /** Takes a delivery of a group's or project's webhook, with the group's secret in `X-Gitlab-Token`. */
  @Post('gitlab/events')
  @Public()
  @StreamedBody()
  @UseGuards(GroupSecretGuard)
  @ApiBody(DELIVERY)
  @Answers(200, NoContentView)
  @Refuses(400, 413, 500)
  async receiveGitlab(
    @SendingGroup() group: WebhookGroup,
    @Headers('idempotency-key') deliveryId: string | undefined,
    @RawBody() body: Buffer,
  ): Promise<NoContentView> {
    await this.intake.receiveGitlab(group, deliveryId, body);
    return {};
  }
}
