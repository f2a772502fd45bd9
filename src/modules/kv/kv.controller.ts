import { Body, Controller, Delete, Get, Param, Post, Put, Query, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Answers, Refuses, StreamedBody } from '../../platform/http/index.js';
import { Accepts, Caller, type Principal, SignedIn } from '../access/index.js';
import type { Provider } from '../vcs/index.js';
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
import { KvNamespaces } from './kv-namespaces.js';
import { toKvRecordView } from './kv-record.view.js';
import { KvService } from './kv.service.js';

/**
 * The same routes for each code-hosting provider. Who may enter a namespace is decided by `KvNamespaces`: membership of
 * the tenant that the installation is linked to, which no path parameter names.
 */
abstract class KvController {
  protected abstract readonly provider: Provider;

  constructor(
    private readonly namespaces: KvNamespaces,
    private readonly kv: KvService,
  ) {}

  /** Write a record, whatever is there. */
  @Put('key/:key')
  @SignedIn()
  @Accepts('access')
  @StreamedBody()
  @UseInterceptors(KvBodyInterceptor)
  @Answers(200, KvRecordView)
  @Refuses(400, 403, 413)
  async put(
    @Caller() caller: Principal,
    @Param('installationId') installationId: string,
    @Param('key', KeyParam) key: string,
    @Body() body: PutBody,
  ): Promise<KvRecordView> {
    const namespace = await this.namespaces.open(caller, this.provider, installationId);
    return toKvRecordView(await this.kv.put(namespace, key, body));
  }

  /** Read a record. */
  @Get('key/:key')
  @SignedIn()
  @Accepts('access')
  @Answers(200, KvRecordView)
  @Refuses(400, 403, 404)
  async get(
    @Caller() caller: Principal,
    @Param('installationId') installationId: string,
    @Param('key', KeyParam) key: string,
    @Query() query: GetQuery,
  ): Promise<KvRecordView> {
    const namespace = await this.namespaces.open(caller, this.provider, installationId);
    const { committed = true, idx, select } = query;
    return toKvRecordView(await this.kv.get(namespace, key, { committed, idx, select }));
  }

  /** Delete the records of a key. */
  @Delete('key/:key')
  @SignedIn()
  @Accepts('access')
  @Answers(200, KvRemovedView)
  @Refuses(400, 403)
  async remove(
    @Caller() caller: Principal,
    @Param('installationId') installationId: string,
    @Param('key', KeyParam) key: string,
    @Query() { idx, version }: DeleteQuery,
  ): Promise<KvRemovedView> {
    const namespace = await this.namespaces.open(caller, this.provider, installationId);
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
    @Caller() caller: Principal,
    @Param('installationId') installationId: string,
    @Param('key', KeyParam) key: string,
    @Body() body: CasBody,
  ): Promise<KvRecordView> {
    const namespace = await this.namespaces.open(caller, this.provider, installationId);
    return toKvRecordView(await this.kv.cas(namespace, key, body));
  }

  /** List records in byte order of their keys. */
  @Get('iter/:key')
  @SignedIn()
  @Accepts('access')
  @Answers(200, KvIterationView)
  @Refuses(400, 403)
  async iterate(
    @Caller() caller: Principal,
    @Param('installationId') installationId: string,
    @Param('key', KeyParam) key: string,
    @Query() query: IterationQuery,
  ): Promise<KvIterationView> {
    const namespace = await this.namespaces.open(caller, this.provider, installationId);
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
    @Caller() caller: Principal,
    @Param('installationId') installationId: string,
    @Param('key', KeyParam) key: string,
    @Query() { committed = true }: CountQuery,
  ): Promise<KvCountView> {
    const namespace = await this.namespaces.open(caller, this.provider, installationId);
    return this.kv.count(namespace, key, committed);
  }

  /** Sum the bytes of the records of a key. */
  @Get('size/key/:key')
  @SignedIn()
  @Accepts('access')
  @Answers(200, KvSizeView)
  @Refuses(400, 403, 404)
  async size(
    @Caller() caller: Principal,
    @Param('installationId') installationId: string,
    @Param('key', KeyParam) key: string,
    @Query() { committed = true, idx }: SizeQuery,
  ): Promise<KvSizeView> {
    const namespace = await this.namespaces.open(caller, this.provider, installationId);
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
  async commit(
    @Caller() caller: Principal,
    @Param('installationId') installationId: string,
    @Body() body: CommitBody,
  ): Promise<KvCommitView> {
    const namespace = await this.namespaces.open(caller, this.provider, installationId);
    return { keys: await this.kv.commit(namespace, body) };
  }
}

@ApiTags('key-value store')
@Controller('github/kv/:installationId')
export class GithubKvController extends KvController {
  protected readonly provider = 'github';

  constructor(namespaces: KvNamespaces, kv: KvService) {
    super(namespaces, kv);
  }
}

@ApiTags('key-value store')
@Controller('gitlab/kv/:installationId')
export class GitlabKvController extends KvController {
  protected readonly provider = 'gitlab';

  constructor(namespaces: KvNamespaces, kv: KvService) {
    super(namespaces, kv);
  }
}
