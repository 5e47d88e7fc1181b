import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findFreePort } from '../../src/core/free-port.ts'
import {
  chooseUser,
  createBoundApp,
  createFolder,
  openApplication,
  readRecipe,
  startApplication,
  takePicture,
  testApplication,
  waitForSignIn,
} from '../support/applications.ts'
import { startIssuer } from '../support/oauth-issuer.ts'

const libraries = join(import.meta.dirname, '../support/oauth-clients/java/lib')

testApplication(
  'Spring Boot signs in with PKCE, maps roles and signs out',
  [join(libraries, 'spring-boot-3.5.7.jar')],
  async (t) => {
    const daikon = await startIssuer()
    t.teardown(() => daikon.stop())
    const port = await findFreePort()
    const url = `http://localhost:${port}`
    const row = { post_logout_redirect_uris: [`${url}/`] }
    const app = await createBoundApp(daikon, `${url}/login/oauth2/code/daikon`, 'admin', row)
    const editor = await app.addMember('editor')
    const folder = await createFolder(t)
    const classPath = `${folder}:${libraries}/*`
    await writeFile(
      join(folder, 'application.yaml'),
      await readRecipe('spring-settings', { ...app, url }),
    )
    await writeFile(
      join(folder, 'App.java'),
      createProgram(await readRecipe('spring-security', { ...app, url })),
    )
    await promisify(execFile)('javac', ['-d', folder, '-cp', classPath, join(folder, 'App.java')])
    await startApplication(
      t,
      `${url}/health`,
      ['java', '-Xmx256m', '-cp', classPath, 'app.App', `--server.port=${port}`],
      { cwd: folder },
    )

    const page = await openApplication(t)
    for (const [email, status] of [
      [app.email, 200],
      [editor, 403],
    ] as const) {
      await page.goto(url)
      await chooseUser(page, email)
      await page.getByText(`Welcome ${email}`).waitFor()
      t.is((await page.goto(`${url}/admin/page`))?.status(), status)
      if (status === 200) await takePicture(page, 'spring-boot')
      await page.goto(`${url}/logout`)
      await page.getByRole('button', { name: 'Log Out' }).click()
      await page.getByRole('button', { name: 'Deny access' }).waitFor()
    }
    await page.goto(url)
    await waitForSignIn(page)
  },
)

/** The configuration in an application whose page `/health` everybody may see. */
function createProgram(configuration: string): string {
  const security = 'org.springframework.security'
  return `package app;

import java.util.*;
import java.util.stream.Collectors;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.*;
import ${security}.config.annotation.web.builders.HttpSecurity;
import ${security}.config.annotation.web.configuration.WebSecurityCustomizer;
import ${security}.core.authority.SimpleGrantedAuthority;
import ${security}.core.authority.mapping.GrantedAuthoritiesMapper;
import ${security}.oauth2.client.oidc.web.logout.OidcClientInitiatedLogoutSuccessHandler;
import ${security}.oauth2.client.registration.ClientRegistrationRepository;
import ${security}.oauth2.client.web.*;
import ${security}.oauth2.core.oidc.user.OidcUserAuthority;
import ${security}.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.*;

@SpringBootApplication
@RestController
public class App {
  public static void main(String[] arguments) {
    SpringApplication.run(App.class, arguments);
  }

  @GetMapping("/")
  String welcome(java.security.Principal user) {
    return "Welcome " + user.getName();
  }

  @GetMapping("/admin/page")
  String administer() {
    return "For administrators";
  }

  @GetMapping("/health")
  String health() {
    return "ok";
  }

  @Bean
  WebSecurityCustomizer ignoreHealth() {
    return web -> web.ignoring().requestMatchers("/health");
  }

${configuration}}
`
}
