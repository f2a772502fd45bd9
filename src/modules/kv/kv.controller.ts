import {
  Body,
  Controller,
  Delete,
  Get,
  Param,
  Post,
  Put,
  Query,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { Answers, Refuses, StreamedBody } from '../../platform/http/index.js';
import { Accepts, SignedIn } from '../access/index.js';
import {
  CasBody,
  CommitBody,
  CountQuery,
  DeleteQuery,
  GetQuery,
  IterationQuery,
  KvCommitView,
  KvCountView,
  KvIterationView,
  KvRecordView,
  KvRemovedView,
  KvSizeView,
  PutBody,
  SizeQuery,
} from './dto/kv.dto.js';
import { KeyParam } from './key-param.js';
import { KvBodyInterceptor } from './kv-body.interceptor.js';
import { KvNamespaceGuard, KvRefusals, Namespace, NamespacesOf } from './kv-namespace.guard.js';
import type { KvNamespace } from './kv-namespaces.js';
import { toKvRecordView } from './kv-record.view.js';
import { KvService } from './kv.service.js';

/**
 * The same routes for each code-hosting provider. `KvNamespaceGuard` decides who may enter: members of the tenant that
 * the installation is linked to, which no path parameter names.
 */
abstract class KvController {
  constructor(private readonly kv: KvService) {}

  /** Write a record, whatever is there. */
  @Put('key/:key')
  @SignedIn()
  @Accepts('access')
  @StreamedBody()
  @UseInterceptors(KvBodyInterceptor)
  @Answers(200, KvRecordView)
  @Refuses(400, 403, 413)
  async put(
    @Namespace() namespace: KvNamespace,
    @Param('key', KeyParam) key: string,
    @Body() body: PutBody,
  ): Promise<KvRecordView> {
    return toKvRecordView(await this.kv.put(namespace, key, body));
  }

  /** Read a record. */
  @Get('key/:key')
  @SignedIn()
  @Accepts('access')
  @Answers(200, KvRecordView)
  @Refuses(400, 403, 404)
  async get(
    @Namespace() namespace: KvNamespace,
    @Param('key', KeyParam) key: string,
    @Query() query: GetQuery,
  ): Promise<KvRecordView> {
    const { committed = true, idx, select = [] } = query;
    return toKvRecordView(await this.kv.get(namespace, key, { committed, idx, select }));
  }

  /** Delete the records of a key. */
  @Delete('key/:key')
  @SignedIn()
  @Accepts('access')
  @Answers(200, KvRemovedView)
  @Refuses(400, 403)
  async remove(
    @Namespace() namespace: KvNamespace,
    @Param('key', KeyParam) key: string,
    @Query() { idx, version }: DeleteQuery,
  ): Promise<KvRemovedView> {
    return { result: await this.kv.remove(namespace, key, { idx, version }) };
  }

  /** Write a record if it has the expected version, or insert it if there is none. */
  @Put('cas/key/:key')
  @SignedIn()
  @Accepts('access')
  @StreamedBody()
  @UseInterceptors(KvBodyInterceptor)
  @Answers(200, KvRecordView)
  @Refuses(400, 403, 413)
  async cas(
    @Namespace() namespace: KvNamespace,
    @Param('key', KeyParam) key: string,
    @Body() body: CasBody,
  ): Promise<KvRecordView> {
    return toKvRecordView(await this.kv.cas(namespace, key, body));
  }

  /** List records in byte order of their keys. */
  @Get('iter/:key')
  @SignedIn()
  @Accepts('access')
  @Answers(200, KvIterationView)
  @Refuses(400, 403)
  async iterate(
    @Namespace() namespace: KvNamespace,
    @Param('key', KeyParam) key: string,
    @Query() query: IterationQuery,
  ): Promise<KvIterationView> {
    const { records, has_more } = await this.kv.iterate(namespace, key, query);
    return { records: records.map(toKvRecordView), has_more };
  }

  /** Count the records of a key. */
  @Get('count/key/:key')
  @SignedIn()
  @Accepts('access')
  @Answers(200, KvCountView)
  @Refuses(400, 403)
  async count(
    @Namespace() namespace: KvNamespace,
    @Param('key', KeyParam) key: string,
    @Query() { committed = true }: CountQuery,
  ): Promise<KvCountView> {
    return this.kv.count(namespace, key, { committed });
  }

  /** Sum the bytes of the records of a key. */
  @Get('size/key/:key')
  @SignedIn()
  @Accepts('access')
  @Answers(200, KvSizeView)
  @Refuses(400, 403, 404)
  async size(
    @Namespace() namespace: KvNamespace,
    @Param('key', KeyParam) key: string,
    @Query() { committed = true, idx }: SizeQuery,
  ): Promise<KvSizeView> {
    return { size: await this.kv.size(namespace, key, { committed, idx }) };
  }

  /** Commit records, all of them or none. */
  @Post('commit')
  @SignedIn()
  @Accepts('access')
  @StreamedBody()
  @UseInterceptors(KvBodyInterceptor)
  @Answers(200, KvCommitView)
  @Refuses(400, 403)
  async commit(@Namespace() namespace: KvNamespace, @Body() body: CommitBody): Promise<KvCommitView> {
    return { keys: await this.kv.commit(namespace, body) };
  }
}

@ApiTags('key-value store')
@Controller('github/kv/:installationId')
@NamespacesOf('github')
@ApiParam({ name: 'installationId', type: String, description: "the provider's own id" })
@UseGuards(KvNamespaceGuard)
@UseInterceptors(KvRefusals)
export class GithubKvController extends KvController {
  constructor(kv: KvService) {
    super(kv);
  }
}

@ApiTags('key-value store')
@Controller('gitlab/kv/:installationId')
@NamespacesOf('gitlab')
@ApiParam({ name: 'installationId', type: String, description: "the provider's own id" })
@UseGuards(KvNamespaceGuard)
@UseInterceptors(KvRefusals)
export class GitlabKvController extends KvController {
  constructor(kv: KvService) {
    super(kv);
  }
}
