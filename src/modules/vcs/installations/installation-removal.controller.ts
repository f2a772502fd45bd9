import { Controller, Delete, Param } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { Answers, Refuses } from '../../../platform/http/index.js';
import { Caller, OnlyWhile, type Principal, Requires } from '../../access/index.js';
import { vcsErrors } from '../vcs.errors.js';
import { InstallationRemoval } from './installation-removal.service.js';

@ApiTags('code hosting')
@Controller('vcs-installations')
export class InstallationRemovalController {
  constructor(private readonly removal: InstallationRemoval) {}

  /**
   * Deletes an installation that is linked to no tenant, with its repositories, pull requests, runs, deliveries and
   * key-value records. A later delivery of an app that is still installed records it again, under a new id.
   */
  @Delete(':provider/:installationCoreId')
  @ApiParam({ name: 'provider', enum: ['github', 'gitlab'], description: 'code host of the installation' })
  @Requires('admin', 'installation')
  @OnlyWhile('SERVICE_ORCHESTRATION_ENABLED', vcsErrors.ORCHESTRATION_DISABLED)
  @Answers(204)
  @Refuses(404, 409, 503)
  async remove(
    @Caller() caller: Principal,
    @Param('provider') provider: string,
    @Param('installationCoreId') id: string,
  ): Promise<void> {
    await this.removal.remove(caller, provider, id);
  }
}
