"""Django settings. Deployments differ only in environment variables; by default all is embedded."""

import tomllib
from typing import Any

from edictum_site.accounts.identity_settings import allauth_providers, env_providers
from edictum_site.accounts.mail_settings import env_mail
from edictum_site.database import databases
from edictum_site.env import (
    OF_OBJECT_STORES,
    broker_url,
    data_folder,
    env_archive,
    env_artifacts,
    env_bool,
    env_bound,
    env_hosts,
    env_int,
    env_level,
    env_list,
    env_networks,
    env_origins,
    env_secret,
    env_secret_files,
    env_str,
    env_token,
    env_url,
    host_name,
)
from edictum_site.program import place
from edictum_site.secret import secret_key

BASE = place.BASE
RELEASE = str(tomllib.loads((BASE / "pyproject.toml").read_text("utf-8"))["project"]["version"])
PROGRAM = place.program()
PROGRAM_NAME = place.PROGRAM_NAME
HOST_NAME = host_name()
DATA = data_folder()
DATA.mkdir(parents=True, exist_ok=True, mode=0o700)

DEBUG = env_bool("EDICTUM_SITE_DEBUG")
SECRET_KEY = secret_key(DATA)
# Earlier keys, to verify audit log entries chained with them.
OLD_SECRETS = env_list(env_secret("EDICTUM_SITE_OLD_SECRET_KEYS"))
SITE_URL = env_url("EDICTUM_SITE_URL")  # without it, links follow the request
ALLOWED_HOSTS = env_hosts("EDICTUM_SITE_HOSTS", SITE_URL)
CSRF_TRUSTED_ORIGINS = env_origins("EDICTUM_SITE_ORIGINS") + [SITE_URL] * bool(SITE_URL)

INSTALLED_APPS = [
    "edictum_site.accounts.apps.EdictumSiteConfig",
    "governance",
    "outcomes",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "django_htmx",
    "django_ace",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
]
# Requests with a key (agents, automation) bypass the middleware for pages.
MIDDLEWARE = [
    "edictum_site.middleware.security_headers",
    "edictum_site.pages.replica.ReadFromReplica",
    "edictum_site.hosts.refuse_unknown_hosts",
    "edictum_site.accounts.audit_trail.record_refusals_and_downloads",
    "edictum_site.errors.api_method_errors",
    "edictum_site.errors.head_like_get",
    "edictum_site.middleware.StaticFiles",
    "edictum_site.middleware.Compressed",
    "edictum_site.middleware.Sessions",
    "edictum_site.middleware.Common",
    "edictum_site.middleware.Csrf",
    "edictum_site.middleware.Authentication",
    "edictum_site.middleware.SessionsInUse",
    "edictum_site.middleware.Messages",
    "edictum_site.middleware.Htmx",
    "allauth.account.middleware.AccountMiddleware",
]
# W001 to W003 check for Django's own middleware; security_headers and Csrf replace it for requests
# without a key. W040: SQLite creates the index without the columns included on PostgreSQL.
SILENCED_SYSTEM_CHECKS = ["security.W001", "security.W002", "security.W003", "models.W040"]
ROOT_URLCONF = "edictum_site.urls"
WSGI_APPLICATION = "edictum_site.wsgi.application"
TEMPLATE_LOADERS = [
    "django.template.loaders.filesystem.Loader",
    "django.template.loaders.app_directories.Loader",
]
CACHED_LOADER = (
    "django.template.loaders.cached.Loader",
    ["edictum_site.template_loader.Loader", TEMPLATE_LOADERS[1]],
)
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE / "templates"],
        "OPTIONS": {
            # No cache in debug mode, so that template changes show on the next request.
            "loaders": TEMPLATE_LOADERS if DEBUG else [CACHED_LOADER],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "edictum_site.pages.shell.shell",
            ],
        },
    }
]

DATABASES = databases(env_secret("DATABASE_URL"), env_secret("DATABASE_REPLICA_URL"), DATA)
REPLICA_LAG = env_int(
    "EDICTUM_SITE_REPLICA_LAG", 60
)  # seconds: pages don't read from a replica with more lag
DATABASE_ROUTERS = ["edictum_site.pages.replica.Router"] if len(DATABASES) > 1 else []
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
CACHES = {
    "default": {  # for sign-in throttling: shared by all processes, and independent of Redis
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "shared_cache",
        # At Django's default of 300, an attacker who tries many names would evict other counts.
        "OPTIONS": {"MAX_ENTRIES": 10_000},
    }
}

AUTH_USER_MODEL = "governance.User"
AUTHENTICATION_BACKENDS = ["governance.people.auth.signed_in.SignedIn"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_ADAPTER = "edictum_site.accounts.adapter.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_LOGOUT_REDIRECT_URL = "account_login"
ACCOUNT_RATE_LIMITS = {"login": None}  # only failures are counted: sign_in_limits.py
ACCOUNT_FORMS = {
    "login": "edictum_site.accounts.adapter.SignInForm",
    "change_password": "edictum_site.accounts.adapter.PasswordForm",
    "reauthenticate": "edictum_site.accounts.adapter.ConfirmForm",
    "reset_password": "edictum_site.accounts.passwords.ForgottenForm",
    "reset_password_from_key": "edictum_site.accounts.passwords.NewPasswordForm",
}
MFA_ADAPTER = "edictum_site.accounts.second_factor.FactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_TOTP_TOLERANCE = 1  # half a minute each way, for phones whose clocks are off
MFA_FORMS = {
    "authenticate": "edictum_site.accounts.second_factor.CodeForm",
    "reauthenticate": "edictum_site.accounts.second_factor.ConfirmByCodeForm",
    "activate_totp": "edictum_site.accounts.second_factor.AddAppForm",
    "add_webauthn": "edictum_site.accounts.second_factor.AddPasskeyForm",
    "edit_webauthn": "edictum_site.accounts.second_factor.RenamePasskeyForm",
}
OIDC = env_providers()
SOCIALACCOUNT_ADAPTER = "edictum_site.accounts.sso.SocialAdapter"
SOCIALACCOUNT_PROVIDERS = allauth_providers(OIDC)
SOCIALACCOUNT_REQUESTS_TIMEOUT = 10  # seconds
MAIL = env_mail(SITE_URL)
SENDS_MAIL = bool(MAIL)
globals().update(MAIL)  # keys are Django's setting names
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False  # else anyone could send mails to any address
PASSWORD_RESET_TIMEOUT = 86_400  # seconds
ACCOUNT_REAUTHENTICATION_TIMEOUT = 900  # seconds without another prompt to change factors
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE = False

SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = env_bool("EDICTUM_SITE_HTTPS")
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "edictum_site.errors.csrf_failure"
if env_bool("EDICTUM_SITE_HTTPS"):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = 31_536_000

USE_TZ = True
TIME_ZONE = "UTC"
USE_I18N = False
LANGUAGE_CODE = "en-us"

STATIC_URL = "/static/"
STATIC_ROOT = DATA / "static"
STATIC_ROOT.mkdir(exist_ok=True)
STATICFILES_DIRS = [BASE / "static"]
STATICFILES_FINDERS = [
    "edictum_site.static_files.OwnFiles",
    "edictum_site.static_files.AppFiles",
]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}
FILE_UPLOAD_PERMISSIONS = None  # use the umask
WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = DEBUG

# The front reads bodies and enforces its own limits.
DATA_UPLOAD_MAX_MEMORY_SIZE = 80 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2_100  # 500 bindings of checks, four fields each
ARTIFACTS = env_artifacts()  # empty: in the data folder
ARTIFACT_SECRETS = env_secret_files(OF_OBJECT_STORES)
MAX_ARTIFACT = env_int("EDICTUM_SITE_MAX_ARTIFACT", 1024**3)
# Limits beyond which the inbox rejects events, and space to keep free on the disks: 0 for no limit;
# without DISK_RESERVE, a share of each disk.
INBOX_BYTES = env_bound("EDICTUM_SITE_INBOX_BYTES", 2 * 1024**3)
INBOX_AGE = env_bound("EDICTUM_SITE_INBOX_AGE", 24 * 3600)  # seconds
DISK_RESERVE = (
    env_bound("EDICTUM_SITE_DISK_RESERVE", 0) if env_str("EDICTUM_SITE_DISK_RESERVE") else None
)
METRICS_TOKEN = env_token("EDICTUM_SITE_METRICS_TOKEN")  # for GET /metrics of all projects
OUTBOUND_NETWORKS = env_networks("EDICTUM_SITE_OUTBOUND_NETWORKS")
APPEND_SLASH = True
ARCHIVE = env_archive()
KEEP_APPROVALS = env_int("EDICTUM_SITE_KEEP_APPROVALS", 90)  # days after their end; 0: forever

REDIS_URL = broker_url()
CELERY_BROKER_URL = REDIS_URL.replace("unix://", "redis+socket://", 1)
CELERY_TASK_IGNORE_RESULT = True  # results are stored in our tables
CELERY_TASK_PUBLISH_RETRY = False  # a dead broker fails fast; the sweep is the retry
CELERY_TASK_ACKS_LATE = True  # safe because every task may run twice
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # retry for as long as the broker is down
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "socket_timeout": 5,
    "socket_connect_timeout": 2,
    "queue_order_strategy": "priority",  # a worker prefers the queue named first
}
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_MAX_MEMORY_PER_CHILD = 400_000  # KB: larger processes are replaced after their job

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"()": "edictum_site.logs.JsonLine"}},
    "filters": {"news": {"()": "edictum_site.logs.News"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "loggers": {
        "django.request": {"filters": ["news"]},
        "mcp": {"level": "WARNING"},  # it logs three lines per request
        "governance.audit_log": {"level": "INFO"},  # signed heads are logged at any log level
    },
    "root": {"handlers": ["stderr"], "level": env_level("EDICTUM_SITE_LOG_LEVEL")},
}
