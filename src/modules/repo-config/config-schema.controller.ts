import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Answers } from '../../platform/http/index.js';
import { Public } from '../access/index.js';
import { configJsonSchema } from './config.schema.js';

@ApiTags('code hosting')
@Controller('config-schema')
export class ConfigSchemaController {
  private readonly schema = configJsonSchema();

  /** JSON Schema of the repository configuration, for editors. */
  @Get()
  @Public()
  @Answers(200, { type: 'object', additionalProperties: true })
  read(): Record<string, unknown> {
    return this.schema;
  }
}
