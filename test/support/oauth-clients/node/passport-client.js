/**
 * A web application that signs users in with Passport and its default settings, without PKCE.
 * Arguments: issuer, client ID, client secret, port, strategy. `/me` returns the user.
 */
import express from 'express'
import session from 'express-session'
import passport from 'passport'
import OAuth2Strategy from 'passport-oauth2'
import OpenIdConnectStrategy from 'passport-openidconnect'

const [issuer, clientID, clientSecret, port, name] = process.argv.slice(2)
const options = {
  issuer,
  authorizationURL: `${issuer}/oauth/authorize`,
  tokenURL: `${issuer}/oauth/token`,
  userInfoURL: `${issuer}/oauth/userinfo`,
  clientID,
  clientSecret,
  callbackURL: `http://localhost:${port}/callback`,
  scope: ['openid', 'profile', 'email'],
}

const strategies = {
  oauth2: () =>
    new OAuth2Strategy(
      { ...options, state: true },
      (accessToken, _refreshToken, _profile, done) => {
        const headers = { authorization: `Bearer ${accessToken}` }
        fetch(options.userInfoURL, { headers })
          .then(async (response) => done(null, await response.json()))
          .catch(done)
      },
    ),
  openidconnect: () =>
    new OpenIdConnectStrategy(options, (_issuer, { id, emails }, done) =>
      done(null, { sub: id, email: emails[0].value }),
    ),
}

passport.use(name, strategies[name]())
passport.serializeUser((user, done) => done(null, user))
passport.deserializeUser((user, done) => done(null, user))

const app = express()
app.use(session({ secret: 'a secret of the tests', resave: false, saveUninitialized: false }))
app.use(passport.session())
app.get('/login', passport.authenticate(name))
app.get('/callback', passport.authenticate(name, { successRedirect: '/me' }))
app.get('/me', (request, response) => response.json(request.user ?? null))
app.use((error, _request, response, _next) => response.status(500).send(String(error.stack)))
app.listen(Number(port))
