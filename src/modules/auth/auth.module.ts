import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CapabilitiesModule } from '../capabilities/index.js';
import { TenantsModule } from '../tenants/index.js';
import { TokensModule } from '../tokens/index.js';
import { UsersModule } from '../users/index.js';
import { AuthController } from './auth.controller.js';
import { CurrentUserQueries } from './current-user.queries.js';
import { LoginAttempts } from './login-attempt.js';
import { OAuthLogin } from './oauth-login.js';
import { OAuthProvider } from './oauth-provider.js';
import { OAuthUsers } from './oauth-users.js';
import { OAuthController } from './oauth.controller.js';
import { OpenIdBeginGuard, OpenIdCallbackGuard } from './openid.guards.js';
import { PasswordLogin } from './password-login.js';
import { Sessions } from './sessions.js';
import { FirstAdministrator } from './first-administrator.js';
import { SetupController } from './setup.controller.js';
import { SetupService } from './setup.service.js';
import { SignInAttempts } from './sign-in-attempts.js';
import {
  EndedSessionEntity,
  SessionRulesEntity,
  SetupCompletionEntity,
  UsedLoginAttemptEntity,
} from './entities/session.entities.js';

const entities = [EndedSessionEntity, SessionRulesEntity, SetupCompletionEntity, UsedLoginAttemptEntity];

@Module({
  imports: [TypeOrmModule.forFeature(entities), CapabilitiesModule, TenantsModule, TokensModule, UsersModule],
  controllers: [SetupController, AuthController, OAuthController],
  providers: [
    CurrentUserQueries,
    FirstAdministrator,
    LoginAttempts,
    OAuthLogin,
    OAuthProvider,
    OAuthUsers,
    OpenIdBeginGuard,
    OpenIdCallbackGuard,
    PasswordLogin,
    Sessions,
    SetupService,
    SignInAttempts,
  ],
})
export class AuthModule {}
